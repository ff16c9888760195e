CREATE TABLE sales (id INTEGER, day DATE, sent DATE, seen TIMESTAMP, code VARCHAR, day_text VARCHAR,
  qty INTEGER, many BIGINT, price DECIMAL(10,2), rate DOUBLE, paid BOOLEAN, name VARCHAR);
INSERT INTO sales VALUES
  (1, '2024-01-31', '2024-02-29', '2024-01-31 23:59:58.125', '7', '2024-01-31', 7, 9, 12.35, 0.125, true, 'Ann'),
  (2, '2024-02-29', '2024-03-01', '2024-02-29 00:00:00', '12', '2024-02-29', -7, 9007199254740993, -3.45, -2.5, false, 'bob'),
  (3, '2024-12-30', '2025-01-05', '2024-12-30 06:07:08', '7', '2024-12-31', 2, -3, 0.05, 3.75, NULL, 'Čeněk O''Neil'),
  (4, '2025-01-05', NULL, '2025-01-05 12:00:00.5', '100', '2025-01-04', NULL, 2, 100.00, 1e20, true, NULL),
  (5, NULL, NULL, NULL, NULL, NULL, 3, NULL, NULL, NULL, false, ''),
  (6, '2024-02-29', '2024-02-28', '2024-02-29 18:30:00', '12', '2024-03-01', 5, 4, 7.77, 0.5, true, 'Ann');
CREATE TABLE shops (shop_id BIGINT, code VARCHAR, opened DATE, qty INTEGER);
INSERT INTO shops VALUES (7, '7', '2024-01-31', 7), (12, '12', '2024-02-29', 5), (13, NULL, NULL, NULL);
