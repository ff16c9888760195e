-- A small warehouse with every type, NULL and '', duplicates and ties. Invented.
CREATE SCHEMA gallery;

CREATE TABLE gallery.kinds (
  id bigint, flag boolean, tiny tinyint, small smallint, whole integer, single real, dbl double,
  price decimal(10,2), huge decimal(38,10), name varchar, short varchar(8), code char(4),
  raw varbinary, day date, at timestamp(3), at6 timestamp(6), zoned timestamp(3) with time zone,
  tags array(varchar), counts map(varchar, integer),
  place row(city varchar, geo row(lat double, lon double)),
  parts array(row(sku varchar, qty integer, price decimal(10,2))));
INSERT INTO gallery.kinds VALUES
  (1, true, TINYINT '7', SMALLINT '300', 70000, REAL '1.5', DOUBLE '0.1', DECIMAL '19.99',
   DECIMAL '123456789012345678.0123456789', 'Ärger', 'abc', 'ab', X'00FF41', DATE '2024-02-29',
   TIMESTAMP '2024-02-29 23:59:59.999', TIMESTAMP '2024-02-29 23:59:59.123456',
   TIMESTAMP '2024-03-31 12:00:00.000 Europe/Berlin', ARRAY['x', NULL, ''],
   MAP(ARRAY['a', 'b'], ARRAY[1, NULL]), ROW('Köln', ROW(DOUBLE '50.94', DOUBLE '6.96')),
   ARRAY[ROW('s1', 2, DECIMAL '1.50'), ROW('s2', 1, NULL)]),
  (2, false, TINYINT '-7', SMALLINT '-300', -70000, REAL '-2.25', DOUBLE '1e300', DECIMAL '-0.01',
   DECIMAL '-1.0000000001', '', '', '', X'', DATE '1969-12-31', TIMESTAMP '1969-12-31 00:00:00.001',
   TIMESTAMP '1970-01-01 00:00:00.000001', TIMESTAMP '1970-01-01 00:00:00.000 UTC',
   ARRAY[], MAP(), ROW(NULL, ROW(NULL, DOUBLE '-1.5')), ARRAY[]),
  (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
   NULL, NULL, NULL, NULL, NULL, NULL);

CREATE TABLE gallery.artists (
  artist_id bigint, name varchar, country varchar, born date, died date, taught_by bigint);
INSERT INTO gallery.artists VALUES
  (1, 'Ada Stone', 'FR', DATE '1921-03-04', DATE '1999-12-31', NULL),
  (2, 'Bela Ríos', 'ES', DATE '1950-07-19', NULL, 1),
  (3, 'Cy Vale', 'US', DATE '1971-02-28', NULL, 1),
  (4, 'Dora Lind', 'SE', DATE '1980-02-29', NULL, 3),
  (5, 'Eno Park', 'KR', NULL, NULL, 2),
  (6, 'Finn Stone', NULL, DATE '1990-11-05', NULL, 4),
  (7, 'Gus o''Dell', 'US', DATE '1921-03-04', DATE '2001-01-01', NULL);

CREATE TABLE gallery.works (
  work_id bigint, artist_id bigint, title varchar, made integer, price decimal(10,2), kind varchar,
  tags array(varchar), size row(width double, height double), attributes map(varchar, varchar),
  sold_at timestamp(3));
INSERT INTO gallery.works VALUES
  (101, 1, 'Harbour', 1950, DECIMAL '1200.00', 'painting', ARRAY['sea', 'blue'],
   ROW(DOUBLE '1.2', DOUBLE '0.8'), MAP(ARRAY['medium', 'frame'], ARRAY['oil', 'oak']),
   TIMESTAMP '2024-01-15 10:00:00.000'),
  (102, 1, 'Harbour II', 1951, DECIMAL '1500.00', 'painting', ARRAY['sea'],
   ROW(DOUBLE '1.2', DOUBLE '0.9'), MAP(ARRAY['medium'], ARRAY['oil']),
   TIMESTAMP '2024-02-29 16:30:00.500'),
  (103, 2, 'Night, Still', 1985, DECIMAL '800.50', 'print', ARRAY['night', 'blue'],
   ROW(DOUBLE '0.4', DOUBLE '0.3'), MAP(ARRAY['medium'], ARRAY['ink']), NULL),
  (104, 2, 'Day', 1986, NULL, 'print', ARRAY[], ROW(DOUBLE '0.4', NULL), MAP(), NULL),
  (105, 3, 'Iron', 2004, DECIMAL '9999.99', 'sculpture', ARRAY['metal'], NULL,
   MAP(ARRAY['medium', 'weight'], ARRAY['iron', NULL]), TIMESTAMP '2024-03-31 00:00:00.000'),
  (106, 3, 'Iron', 2005, DECIMAL '9999.99', 'sculpture', ARRAY['metal', 'red'],
   ROW(DOUBLE '2.0', DOUBLE '2.0'), MAP(ARRAY['medium'], ARRAY['iron']),
   TIMESTAMP '2023-12-31 23:59:59.999'),
  (107, 4, '', 2010, DECIMAL '0.00', 'sketch', NULL, ROW(DOUBLE '0.2', DOUBLE '0.2'), NULL,
   TIMESTAMP '2024-01-15 10:00:00.000'),
  (108, 6, 'Émile', 2020, DECIMAL '310.10', 'painting', ARRAY['portrait', NULL],
   ROW(DOUBLE '0.5', DOUBLE '0.7'), MAP(ARRAY['medium'], ARRAY['oil']), NULL),
  (109, NULL, 'Unknown', NULL, DECIMAL '55.00', 'sketch', ARRAY['blue'],
   ROW(DOUBLE '0.1', DOUBLE '0.1'), MAP(ARRAY['medium'], ARRAY['']), NULL);

CREATE TABLE gallery.visits (
  visit_id bigint, region varchar, day varchar, entered timestamp(3), minutes integer,
  ticket varchar, paid decimal(8,2), payload varchar, score double);
INSERT INTO gallery.visits VALUES
  (1, 'eu', '2024-01-01', TIMESTAMP '2024-01-01 09:00:00.000', 30, 'adult', DECIMAL '12.00',
   '{"guide":true,"lang":"fr","rooms":[1,2,3]}', 4.5),
  (2, 'eu', '2024-01-01', TIMESTAMP '2024-01-01 09:45:30.250', 95, 'adult', DECIMAL '12.00',
   '{"guide":false,"lang":"de","rooms":[]}', 3.0),
  (3, 'eu', '2024-01-02', TIMESTAMP '2024-01-02 12:00:00.000', 61, 'child', DECIMAL '0.00',
   '{"lang":null,"stay":{"days":2}}', NULL),
  (4, 'us', '2024-01-02', TIMESTAMP '2024-01-02 13:10:00.000', NULL, 'adult', DECIMAL '15.50', NULL,
   2.5),
  (5, 'us', '2024-01-08', TIMESTAMP '2024-01-08 23:59:59.999', 10, 'member', NULL, '', 5.0),
  (6, 'us', '2024-02-29', TIMESTAMP '2024-02-29 08:00:00.000', 45, 'child', DECIMAL '7.75',
   '[1, "two", null]', 5.0),
  (7, 'apac', '2024-02-29', TIMESTAMP '2024-02-29 10:00:00.000', 45, 'adult', DECIMAL '15.50',
   '"text"', 1.0),
  (8, 'apac', '2024-03-31', TIMESTAMP '2024-03-31 02:30:00.000', 120, '', DECIMAL '15.50', 'not json',
   NULL),
  (9, 'apac', '2024-12-30', TIMESTAMP '2024-12-30 17:20:10.007', 0, NULL, DECIMAL '15.50',
   '{"lang":"ko","rooms":[7]}', 4.5);

CREATE TABLE gallery."odd-names" ("first name" varchar, "select" integer, "MixedCase" bigint);
INSERT INTO gallery."odd-names" VALUES ('a', 1, 10), ('b', NULL, 20);

CREATE TABLE gallery.bare (id bigint, note varchar);
