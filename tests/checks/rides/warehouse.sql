-- A bicycle hire whose data hold what the checks of question and statement look for: walk-ins
-- without a member, refunds below zero, cents, billions, members without complaints, bills of many lines.
CREATE TABLE cities (city_id INTEGER PRIMARY KEY, city_name VARCHAR, population INTEGER,
                     area_sq_km DECIMAL(8, 2), budget_busd DECIMAL(8, 2), cycling_pct DECIMAL(4, 1));
CREATE TABLE stations (station_id INTEGER PRIMARY KEY, station_name VARCHAR,
                       city_id INTEGER REFERENCES cities (city_id), docks INTEGER);
CREATE TABLE members (member_id INTEGER PRIMARY KEY, full_name VARCHAR, tier VARCHAR,
                      joined_on DATE, renewal_date DATE, signup_date DATE, city_id INTEGER);
CREATE TABLE rides (ride_id INTEGER PRIMARY KEY, member_id INTEGER REFERENCES members (member_id),
                    station_id INTEGER REFERENCES stations (station_id), ride_date DATE,
                    delivery_date DATE, fare DECIMAL(10, 2), minutes INTEGER);
CREATE TABLE refunds (refund_id INTEGER PRIMARY KEY, ride_id INTEGER REFERENCES rides (ride_id),
                      refund_date DATE, amount DECIMAL(10, 2), reason VARCHAR);
CREATE TABLE bills (bill_id INTEGER PRIMARY KEY, member_id INTEGER REFERENCES members (member_id),
                    issued_on DATE, due_date DATE, paid_date DATE);
CREATE TABLE bill_lines (line_id INTEGER PRIMARY KEY, bill_id INTEGER REFERENCES bills (bill_id),
                         member_id INTEGER REFERENCES members (member_id), line_amount DECIMAL(10, 2));
CREATE TABLE complaints (complaint_id INTEGER PRIMARY KEY, member_id INTEGER REFERENCES members (member_id),
                         opened_at TIMESTAMP, closed_at TIMESTAMP, topic VARCHAR);
CREATE TABLE x_trips (x1 INTEGER PRIMARY KEY, x2 DATE, x3 BIGINT, x4 DECIMAL(8, 2), x5 INTEGER,
                      x6 INTEGER REFERENCES members (member_id));

INSERT INTO cities VALUES (1, 'Aachen', 250000, 160.00, 1.50, 11.0), (2, 'Bonn', 330000, 141.00, 2.25, 18.5),
                          (3, 'Celle', 70000, 176.00, 0.25, 25.0);
INSERT INTO stations VALUES (1, 'Cathedral', 1, 20), (2, 'Old Town', 2, 30), (3, 'Harbour', 2, 10), (4, 'Castle', 3, 8);
INSERT INTO members VALUES
  (1, 'Ann', 'BASIC', DATE '2025-01-10', DATE '2026-09-01', DATE '2025-01-02', 1),
  (2, 'Bob', 'BASIC', DATE '2025-02-11', NULL, DATE '2025-02-01', 1),
  (3, 'Cleo', 'GOLD', DATE '2025-03-12', DATE '2026-08-15', DATE '2024-12-30', 2),
  (4, 'Dora', 'ELITE', DATE '2025-06-01', DATE '2026-08-20', DATE '2025-06-01', 2),
  (5, 'Emil', 'ELITE', DATE '2026-01-05', DATE '2027-01-05', DATE '2026-01-02', 3);
INSERT INTO rides VALUES
  (1, 1, 1, DATE '2026-06-01', DATE '2026-06-03', 10, 30), (2, 1, 1, DATE '2026-06-01', NULL, 20, 45),
  (3, 2, 2, DATE '2026-06-02', DATE '2026-07-01', 30, 60), (4, NULL, 2, DATE '2026-06-02', NULL, 40, 20),
  (5, 3, 3, DATE '2026-06-30', DATE '2026-07-02', 50, 90), (6, NULL, 3, DATE '2026-07-01', DATE '2026-07-03', 60, 15),
  (7, 4, 4, DATE '2026-07-02', NULL, 70, 25), (8, 1, 4, DATE '2025-06-03', DATE '2026-06-05', 80, 35);
INSERT INTO refunds VALUES
  (1, 1, DATE '2026-06-05', -5, 'late'), (2, 1, DATE '2026-06-20', -2, 'flat tyre'),
  (3, 5, DATE '2026-07-10', -10, 'late'), (4, 8, DATE '2026-05-30', -20, 'LATE');
INSERT INTO bills VALUES
  (1, 1, DATE '2026-05-31', DATE '2026-06-14', DATE '2026-06-10'), (2, 1, DATE '2026-06-30', DATE '2026-07-14', NULL),
  (3, 3, DATE '2026-06-30', DATE '2026-07-14', DATE '2026-07-20'), (4, 4, DATE '2026-07-31', DATE '2026-08-14', NULL);
INSERT INTO bill_lines VALUES (1, 1, 1, 10), (2, 1, 1, 5), (3, 2, 1, 8), (4, 3, 3, 12), (5, 3, 3, 1), (6, 3, 3, 2), (7, 4, 4, 30);
INSERT INTO complaints VALUES
  (1, 1, TIMESTAMP '2026-05-01 08:00', TIMESTAMP '2026-06-02 09:00', 'brakes'), (2, 1, TIMESTAMP '2026-06-04 10:00', NULL, 'bill'),
  (3, 3, TIMESTAMP '2026-06-20 12:00', TIMESTAMP '2026-07-01 07:30', 'bill'), (4, 3, TIMESTAMP '2026-07-09 11:15', NULL, 'brakes');
INSERT INTO x_trips VALUES (1, DATE '2022-01-01', 12550, 2.50, 1, 1), (2, DATE '2022-05-09', 9950, NULL, 2, 1), (3, DATE '2023-02-02', 30000, 4.00, 3, 2);
CREATE TABLE parts (part_id INTEGER PRIMARY KEY, ride_id INTEGER REFERENCES rides (ride_id), cost DECIMAL(8, 2), shipped_on DATE);
INSERT INTO parts VALUES (1, 1, 4.00, DATE '2026-05-20'), (2, 3, 6.00, NULL);
CREATE TABLE fiscal_days (day DATE PRIMARY KEY, fiscal_year INTEGER, fiscal_quarter INTEGER);
INSERT INTO fiscal_days SELECT CAST(d AS DATE), year(d + INTERVAL 3 MONTH), quarter(d + INTERVAL 3 MONTH)
  FROM range(TIMESTAMP '2025-01-01', TIMESTAMP '2027-01-01', INTERVAL 1 DAY) AS t(d);
