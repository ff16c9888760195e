-- The demo warehouse of a retailer. All of it is invented, and comes out the same on every machine:
-- pseudo_random(i, salt) below is integer arithmetic, where hash() and random() may change.

CREATE TEMP MACRO mixed(x) AS xor(x, x >> 16) * 73244475 % 4294967296;
CREATE TEMP MACRO pseudo_random(i, salt) AS
    xor(mixed(mixed(CAST(i AS BIGINT) * 7919 + salt * 104729)), mixed(mixed(CAST(i AS BIGINT) * 7919 + salt * 104729)) >> 16) % 1000000;
CREATE TEMP MACRO up_to(n, i, salt) AS pseudo_random(i, salt) * n // 1000000;
CREATE TEMP MACRO skewed_up_to(n, i, salt) AS
    pseudo_random(i, salt) * pseudo_random(i, salt) * n // 1000000000000;
CREATE TEMP MACRO leaning_up_to(n, i, salt) AS
    pseudo_random(i, salt) * (pseudo_random(i, salt) + 1000000) * n // 2000000000000;
CREATE TEMP MACRO dollars(cents) AS CAST(CAST(cents AS BIGINT) * 0.01 AS DECIMAL(12, 2));

-- Reference -----------------------------------------------------------------------------------

CREATE TABLE us_cities (
    id INTEGER, city_name VARCHAR, state VARCHAR, population INTEGER, region VARCHAR,
    founded INTEGER, area_sq_mi DECIMAL(8, 2));
INSERT INTO us_cities VALUES
    (1, 'New York', 'NY', 8335897, 'Northeast', 1624, 302.64),
    (2, 'Los Angeles', 'CA', 3822238, 'West', 1781, 469.49),
    (3, 'Chicago', 'IL', 2665039, 'Midwest', 1837, 227.73),
    (4, 'Houston', 'TX', 2302878, 'South', 1836, 640.44),
    (5, 'Seattle', 'WA', 737015, 'Pacific Northwest', 1851, 83.78),
    (6, 'Phoenix', 'AZ', 1644409, 'West', 1868, 518.27),
    (7, 'Philadelphia', 'PA', 1567258, 'Northeast', 1682, 134.36),
    (8, 'Portland', 'OR', 652503, 'Pacific Northwest', 1845, 133.45),
    (9, 'San Antonio', 'TX', 1472909, 'South', 1718, 498.85),
    (10, 'San Diego', 'CA', 1381162, 'West', 1769, 325.88),
    (11, 'Dallas', 'TX', 1299544, 'South', 1841, 339.60),
    (12, 'Boise', 'ID', 235684, 'Pacific Northwest', 1863, 84.04),
    (13, 'Austin', 'TX', 974447, 'South', 1839, 319.94),
    (14, 'Jacksonville', 'FL', 971319, 'South', 1822, 747.48),
    (15, 'San Jose', 'CA', 971233, 'West', 1777, 178.26),
    (16, 'Fort Worth', 'TX', 956709, 'South', 1849, 342.94),
    (17, 'Columbus', 'OH', 907971, 'Midwest', 1812, 220.40),
    (18, 'Charlotte', 'NC', 897720, 'South', 1768, 308.29),
    (19, 'Indianapolis', 'IN', 880621, 'Midwest', 1821, 361.50),
    (20, 'San Francisco', 'CA', 808437, 'West', 1776, 46.91),
    (21, 'Denver', 'CO', 713252, 'West', 1858, 153.08),
    (22, 'Nashville', 'TN', 683622, 'South', 1779, 475.81),
    (23, 'Washington', 'DC', 671803, 'Northeast', 1790, 61.13),
    (24, 'Las Vegas', 'NV', 656274, 'West', 1905, 141.78),
    (25, 'Boston', 'MA', 650706, 'Northeast', 1630, 48.34),
    (26, 'Louisville', 'KY', 624444, 'South', 1778, 263.50),
    (27, 'Memphis', 'TN', 621056, 'South', 1819, 294.93),
    (28, 'Detroit', 'MI', 620376, 'Midwest', 1701, 138.73),
    (29, 'Baltimore', 'MD', 569931, 'Northeast', 1729, 80.95),
    (30, 'Milwaukee', 'WI', 563305, 'Midwest', 1846, 96.18),
    (31, 'Albuquerque', 'NM', 561008, 'West', 1706, 187.27),
    (32, 'Kansas City', 'MO', 509297, 'Midwest', 1838, 314.73),
    (33, 'Atlanta', 'GA', 499127, 'South', 1837, 135.32),
    (34, 'Omaha', 'NE', 485153, 'Midwest', 1854, 141.17),
    (35, 'Raleigh', 'NC', 476587, 'South', 1792, 147.12),
    (36, 'Miami', 'FL', 449514, 'South', 1896, 36.00),
    (37, 'Minneapolis', 'MN', 425096, 'Midwest', 1867, 54.00),
    (38, 'Tampa', 'FL', 398173, 'South', 1849, 113.97),
    (39, 'New Orleans', 'LA', 369749, 'South', 1718, 169.42),
    (40, 'Cleveland', 'OH', 361607, 'Midwest', 1796, 77.73),
    (41, 'Newark', 'NJ', 305344, 'Northeast', 1666, 24.14),
    (42, 'Pittsburgh', 'PA', 302898, 'Northeast', 1758, 55.38),
    (43, 'Jersey City', 'NJ', 286670, 'Northeast', 1660, 14.74),
    (44, 'St. Louis', 'MO', 286578, 'Midwest', 1764, 61.72),
    (45, 'Buffalo', 'NY', 276486, 'Northeast', 1801, 40.38),
    (46, 'Providence', 'RI', 244318, 'Northeast', 1636, 18.41),
    (47, 'Rochester', 'NY', 241904, 'Northeast', 1803, 35.76),
    (48, 'Worcester', 'MA', 239771, 'Northeast', 1673, 37.36),
    (49, 'Tacoma', 'WA', 238406, 'Pacific Northwest', 1872, 49.72),
    (50, 'Spokane', 'WA', 237112, 'Pacific Northwest', 1873, 68.76);

CREATE TABLE us_metro_economics AS
SELECT
    CAST(id AS INTEGER) AS city_id,
    CAST(CASE id WHEN 5 THEN 413.0 ELSE (population * (38 + up_to(34, id, 1))) * 0.000001 END AS DECIMAL(8, 1)) AS gdp_busd,
    CAST(CASE id WHEN 5 THEN 4.2 ELSE (up_to(68, id, 2) - 9) * 0.1 END AS DECIMAL(4, 1)) AS growth_pct,
    CAST((28 + up_to(37, id, 3)) * 0.1 AS DECIMAL(4, 1)) AS unemployment_pct,
    CAST(41200 + up_to(620, id, 4) * 100 AS INTEGER) AS median_income
FROM us_cities
ORDER BY city_id;

CREATE TABLE us_employers (
    employer_id INTEGER, city_id INTEGER, employer_name VARCHAR, industry VARCHAR, employees INTEGER);
INSERT INTO us_employers VALUES
    (1, 5, 'Amazon', 'Technology', 75000),
    (2, 5, 'Boeing', 'Aerospace', 56900),
    (3, 5, 'Microsoft', 'Technology', 58400);
INSERT INTO us_employers
SELECT
    3 + row_number() OVER (ORDER BY c.id, k.range), c.id,
    c.city_name || [' Medical Center', ' Logistics', ' School District', ' Software', ' Foods'][1 + (c.id + k.range) % 5],
    ['Healthcare', 'Transport', 'Education', 'Technology', 'Food'][1 + (c.id + k.range) % 5],
    1200 + up_to(c.population // 70, c.id * 7 + k.range, 5)
FROM us_cities AS c, range(4) AS k
WHERE c.id <> 5 AND k.range < 2 + c.id % 3
ORDER BY 1;

CREATE TABLE region_dim (region_id INTEGER, region_name VARCHAR, manager VARCHAR);
INSERT INTO region_dim VALUES
    (1, 'Northeast', 'Grace Okafor'), (2, 'South', 'Daniel Reyes'), (3, 'Midwest', 'Ingrid Larsen'),
    (4, 'West', 'Priya Nair'), (5, 'Pacific Northwest', 'Tom Whitehorse'), (6, 'Canada', NULL);

CREATE TABLE fiscal_calendar AS
SELECT
    CAST(d AS DATE) AS calendar_date,
    CAST(year(d - INTERVAL 1 MONTH) AS INTEGER) AS fiscal_year,
    CAST((month(d) + 10) % 12 // 3 + 1 AS INTEGER) AS fiscal_quarter,
    CAST((month(d) + 10) % 12 + 1 AS INTEGER) AS fiscal_month,
    strftime(d, '%m-%d') IN ('01-01', '07-04', '11-11', '12-24', '12-25', '12-31') AS is_holiday
FROM range(TIMESTAMP '2023-02-01', TIMESTAMP '2027-02-01', INTERVAL 1 DAY) AS days(d)
ORDER BY 1;

-- Products, stores, promotions ----------------------------------------------------------------

CREATE TABLE supplier_dim AS
SELECT
    CAST(i AS INTEGER) AS supplier_id,
    ['Harbor', 'Summit', 'Bluefin', 'Cedar', 'Lotus'][1 + i % 5] || ' '
        || ['Trading', 'Works', 'Mills', 'Goods', 'Imports'][1 + i // 5 % 5] AS supplier_name,
    ['US', 'CN', 'VN', 'DE', 'US', 'IT', 'MX'][1 + i % 7] AS country,
    CAST(7 + up_to(60, i, 10) AS INTEGER) AS lead_time_days
FROM range(1, 25) AS t(i)
ORDER BY 1;

CREATE TEMP TABLE product_seed AS
SELECT i, (i - 1) % 8 AS kind, (i - 1) // 8 AS k, CASE i
    WHEN 42 THEN 4999 WHEN 17 THEN 4495
    ELSE 499 + skewed_up_to(180, i, 11) * 100 END AS price
FROM range(1, 241) AS t(i);

CREATE TABLE product_dim AS
SELECT
    CAST(i AS INTEGER) AS product_id,
    ['FTW', 'OUT', 'KIT', 'TOY', 'GRD', 'ELC', 'BTY', 'GRO'][1 + kind] || '-' || lpad(CAST(1000 + i * 7 AS VARCHAR), 5, '0') AS sku,
    ['Classic', 'Compact', 'Deluxe', 'Everyday', 'Heritage', 'Junior', 'Lite', 'Premium', 'Pro', 'Trail'][1 + (k // 6 + kind) % 10]
        || ' ' || [
        ['Sneaker', 'Boot', 'Sandal', 'Loafer', 'Slipper', 'Runner'],
        ['Tent', 'Backpack', 'Lantern', 'Cooler', 'Hammock', 'Stove'],
        ['Skillet', 'Kettle', 'Blender', 'Knife Set', 'Mixer', 'Toaster'],
        ['Puzzle', 'Building Set', 'Kite', 'Doll', 'Train', 'Board Game'],
        ['Hose', 'Pruner', 'Planter', 'Trellis', 'Mower', 'Bird Feeder'],
        ['Headphones', 'Speaker', 'Charger', 'Smart Lamp', 'Keyboard', 'Camera'],
        ['Shampoo', 'Face Cream', 'Lip Balm', 'Perfume', 'Sunscreen', 'Soap'],
        ['Coffee', 'Olive Oil', 'Granola', 'Tea', 'Honey', 'Pasta']][1 + kind][1 + k % 6] AS product_name,
    ['Footwear', 'Outdoor', 'Kitchen', 'Toys', 'Garden', 'Electronics', 'Beauty', 'Grocery'][1 + kind] AS category,
    ['Norvik', 'Alder & Co', 'Kestrel', 'Luma', 'Pinecrest', 'O''Hara'][1 + up_to(6, i, 12)] AS brand,
    CAST(1 + up_to(22, i, 13) AS INTEGER) AS supplier_id,
    dollars(price) AS list_price,
    dollars(price * (44 + up_to(22, i, 14)) // 100) AS unit_cost,
    CASE
        WHEN i > 234 THEN DATE '2026-08-01' + CAST((i - 235) * 9 AS INTEGER)
        WHEN i > 60 AND i % 11 = 0 THEN DATE '2024-01-08' + CAST(up_to(900, i, 15) AS INTEGER)
        ELSE DATE '2021-03-01' + CAST(up_to(850, i, 15) AS INTEGER) END AS launched_on,
    CASE WHEN i > 60 AND i % 10 = 3 AND i % 11 <> 0 AND i <= 234
        THEN DATE '2024-11-01' + CAST(up_to(560, i, 16) AS INTEGER) END AS discontinued_on,
    CASE WHEN i > 234 THEN 'P' WHEN i > 60 AND i % 10 = 3 AND i % 11 <> 0 THEN 'D' ELSE 'A' END AS status_code
FROM product_seed
ORDER BY 1;

CREATE TABLE store_dim AS
SELECT
    CAST(100 + row_number() OVER (ORDER BY c.id) AS INTEGER) AS store_id,
    c.city_name || CASE WHEN k.range = 0 THEN ' Downtown' ELSE ' Mall' END AS store_name,
    CAST(c.id AS INTEGER) AS city_id,
    r.region_id,
    CASE WHEN c.id IN (46, 49) THEN DATE '2026-09-01' + CAST(c.id AS INTEGER)
        ELSE DATE '2009-04-01' + CAST(up_to(4800, c.id * 2 + k.range, 20) AS INTEGER) END AS opened_on,
    CASE WHEN c.id IN (28, 40, 44) THEN DATE '2024-06-30' + CAST(c.id * 8 AS INTEGER) END AS closed_on,
    CAST(6000 + up_to(300, c.id * 2 + k.range, 21) * 100 AS INTEGER) AS floor_area_sqft
FROM us_cities AS c
JOIN region_dim AS r ON r.region_name = c.region
CROSS JOIN range(2) AS k
WHERE (k.range = 0 AND c.id % 5 <> 2) OR (k.range = 1 AND c.id <= 4)
ORDER BY 1;

CREATE TABLE promotion_dim AS
WITH planned AS (
    SELECT
        i, DATE '2023-07-03' + CAST(i * 44 - 44 AS INTEGER) AS starts_on,
        DATE '2023-07-03' + CAST(i * 44 + 2 + up_to(30, i, 31) AS INTEGER) AS ends_on
    FROM range(1, 26) AS t(i)),
named AS (
    SELECT *, ['Winter Clearance', 'Spring Saver', 'Summer Kickoff', 'Back to School', 'Harvest Deals', 'Holiday Rush'][1 + month(starts_on) % 12 // 2]
        || ' ' || year(starts_on) AS season
    FROM planned)
SELECT
    CAST(i AS INTEGER) AS promotion_id,
    season || ' ' || chr(CAST(64 + row_number() OVER (PARTITION BY season ORDER BY i) AS INTEGER)) AS promotion_name,
    ['Coupon', 'Bundle', 'LOYALTY', 'clearance'][1 + i % 4] AS promotion_type,
    CAST([5, 10, 15, 20, 25][1 + up_to(5, i, 30)] AS INTEGER) AS discount_pct,
    starts_on, ends_on
FROM named
ORDER BY 1;

-- Customers -----------------------------------------------------------------------------------

CREATE TEMP TABLE customer_seed AS
SELECT
    i,
    CAST(DATE '2020-11-02' + CAST(skewed_up_to(2060, i, 40) AS INTEGER) AS DATE) AS signup_date,
    CASE WHEN up_to(100, i, 41) < 55 THEN 'FREE' WHEN up_to(100, i, 41) < 85 THEN 'PLUS' ELSE 'PRO' END AS plan,
    CASE WHEN up_to(100, i, 42) < 79 THEN 'active' WHEN up_to(100, i, 42) < 86 THEN 'paused' ELSE 'cancelled' END AS status,
    ['Ava', 'Ben', 'Chloe', 'Diego', 'Elena', 'Farid', 'Grace', 'Hiro', 'Isla', 'Jonas', 'Kavya', 'Liam', 'Mia',
     'Noah', 'Olu', 'Petra', 'Quinn', 'Rosa', 'Samir', 'Tessa', 'Uma', 'Victor', 'Wei', 'Ximena', 'Zoë'][1 + up_to(25, i, 43)] AS first_name,
    ['Adams', 'Brooks', 'Castillo', 'Dubois', 'Evans', 'Fischer', 'Garcia', 'Hughes', 'Ivanov', 'Jensen', 'Kim',
     'Lopez', 'Müller', 'Nguyen', 'O''Brien', 'Patel', 'Rossi', 'Silva', 'Tanaka', 'Walker', 'Young', 'Zhang'][1 + up_to(22, i, 44)] AS last_name
FROM range(1, 5001) AS t(i);

CREATE TABLE customers AS
SELECT
    CAST(i AS INTEGER) AS customer_id,
    first_name || ' ' || chr(CAST(65 + up_to(26, i, 51) AS INTEGER)) || '. ' || last_name AS full_name,
    'customer' || i || '@example.com' AS email,
    '+1-555-' || lpad(CAST(up_to(10000, i, 45) AS VARCHAR), 4, '0') AS phone,
    CAST(CASE
        WHEN up_to(100, i, 46) < 28 THEN 1 WHEN up_to(100, i, 46) < 59 THEN 2
        WHEN up_to(100, i, 46) < 78 THEN 3 WHEN up_to(100, i, 46) < 93 THEN 4 ELSE 5 END AS INTEGER) AS region_id,
    plan,
    CASE plan
        WHEN 'PLUS' THEN dollars(CASE WHEN i % 3 = 0 THEN 1299 ELSE 999 END)
        WHEN 'PRO' THEN dollars([2499, 2999, 4900][1 + up_to(3, i, 47)]) END AS mrr,
    signup_date,
    CASE WHEN plan = 'FREE' THEN NULL
        WHEN status = 'cancelled' THEN signup_date + CAST(40 + up_to(20, i, 48) AS INTEGER)
        ELSE DATE '2026-07-15' + CAST(up_to(365, i, 48) AS INTEGER) END AS renewal_date,
    status,
    CASE WHEN status = 'cancelled' THEN least(DATE '2026-07-12', signup_date + CAST(45 + up_to(900, i, 49) AS INTEGER)) END AS cancelled_on,
    CASE WHEN status = 'cancelled' THEN ['price', 'moved away', 'service', 'other'][1 + up_to(4, i, 50)] END AS cancel_reason
FROM customer_seed
ORDER BY 1;

-- Sales ---------------------------------------------------------------------------------------

CREATE TEMP TABLE day_slots AS
WITH days AS (
    SELECT
        CAST(d AS DATE) AS sale_date,
        (100 + date_diff('day', DATE '2023-07-15', CAST(d AS DATE)) * 24 // 365)
            * [80, 78, 92, 97, 102, 98, 94, 100, 96, 104, 138, 165][month(d)]
            * [88, 84, 90, 98, 118, 132, 104][isodow(d)] // 40000 AS weight
    FROM range(TIMESTAMP '2023-07-15', TIMESTAMP '2026-07-15', INTERVAL 1 DAY) AS t(d))
SELECT row_number() OVER (ORDER BY sale_date, n) - 1 AS slot, sale_date
FROM (SELECT sale_date, unnest(range(weight)) AS n FROM days);

CREATE TEMP TABLE product_slots AS
SELECT row_number() OVER (ORDER BY product_id, n) - 1 AS slot, product_id
FROM (
    SELECT product_id, unnest(range(6000 // (product_id * 97 % 241 + 7))) AS n
    FROM product_dim WHERE status_code <> 'P');

CREATE TEMP TABLE drawn AS
SELECT
    i,
    (SELECT max(slot) + 1 FROM day_slots) * pseudo_random(i, 60) // 1000000 AS day_slot,
    (SELECT max(slot) + 1 FROM product_slots) * pseudo_random(i, 61) // 1000000 AS product_slot,
    CASE WHEN up_to(100, i, 62) < 26 THEN 1 WHEN up_to(100, i, 62) < 57 THEN 2
        WHEN up_to(100, i, 62) < 77 THEN 3 WHEN up_to(100, i, 62) < 93 THEN 4 ELSE 5 END AS region_id,
    [1, 1, 1, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5, 6][1 + up_to(14, i, 63)] AS quantity,
    CASE WHEN up_to(100, i, 64) < 46 THEN 'WEB' WHEN up_to(100, i, 64) < 84 THEN 'Store' ELSE 'app' END AS channel,
    1 + leaning_up_to(4300, i, 65) AS customer_id
FROM range(1001, 201001) AS t(i);

CREATE TEMP TABLE sale_seed AS
SELECT
    d.i,
    CASE d.i WHEN 1001 THEN 42 WHEN 1002 THEN 17 ELSE
        CASE WHEN s.sale_date BETWEEN p.launched_on AND coalesce(p.discontinued_on, DATE '2099-01-01')
            THEN p.product_id ELSE 1 + d.i % 60 END END AS product_id,
    CASE d.i WHEN 1001 THEN 3 WHEN 1002 THEN 1 ELSE d.region_id END AS region_id,
    CASE WHEN d.i < 1003 THEN DATE '2024-01-15' ELSE s.sale_date END AS sale_date,
    CASE d.i WHEN 1001 THEN 5 WHEN 1002 THEN 2 ELSE d.quantity END AS quantity,
    d.channel,
    CASE WHEN c.signup_date <= s.sale_date AND s.sale_date <= coalesce(c.cancelled_on, s.sale_date)
        AND (d.channel <> 'Store' OR d.i % 5 < 3) THEN d.customer_id END AS customer_id
FROM drawn AS d
JOIN day_slots AS s ON s.slot = d.day_slot
JOIN product_slots AS ps ON ps.slot = d.product_slot
JOIN product_dim AS p ON p.product_id = ps.product_id
JOIN customers AS c ON c.customer_id = d.customer_id;

CREATE TABLE sale_promotion AS
WITH running AS (
    SELECT s.i, p.promotion_id, p.discount_pct, row_number() OVER (PARTITION BY s.i ORDER BY p.promotion_id DESC) AS place
    FROM sale_seed AS s
    JOIN promotion_dim AS p ON s.sale_date BETWEEN p.starts_on AND p.ends_on
    WHERE s.i > 1002 AND up_to(100, s.i, 66) < 20)
SELECT s.i AS sale_id, r.promotion_id, dollars(q.list_price * 100 * s.quantity * r.discount_pct // 100) AS discount_amount
FROM running AS r
JOIN sale_seed AS s USING (i)
JOIN product_dim AS q USING (product_id)
WHERE r.place = 1 OR (r.place = 2 AND up_to(100, s.i, 66) < 7)
ORDER BY sale_id, promotion_id;

CREATE TEMP TABLE store_places AS
SELECT *, row_number() OVER (PARTITION BY region_id ORDER BY closed_on NULLS FIRST, store_id) AS place,
    count(*) OVER (PARTITION BY region_id) AS places
FROM store_dim
WHERE opened_on < DATE '2023-07-15';

CREATE TABLE sales_fact AS
SELECT
    CAST(s.i AS BIGINT) AS sale_id,
    CAST(s.product_id AS INTEGER) AS product_id,
    CAST(s.region_id AS INTEGER) AS region_id,
    s.sale_date,
    CAST(s.quantity AS INTEGER) AS quantity,
    CAST(p.list_price * s.quantity - coalesce(o.discount, 0) AS DECIMAL(12, 2)) AS amount,
    CAST(s.customer_id AS INTEGER) AS customer_id,
    CASE WHEN s.channel = 'Store' THEN CASE WHEN t.closed_on < s.sale_date THEN f.store_id ELSE t.store_id END END AS store_id,
    s.channel,
    CASE WHEN s.channel <> 'Store' AND s.i % 211 <> 0 AND s.sale_date + CAST(1 + skewed_up_to(12, s.i, 67) AS INTEGER) < DATE '2026-07-15'
        THEN s.sale_date + CAST(1 + skewed_up_to(12, s.i, 67) AS INTEGER) END AS ship_date
FROM sale_seed AS s
JOIN product_dim AS p USING (product_id)
JOIN store_places AS f ON f.region_id = s.region_id AND f.place = 1
JOIN store_places AS t ON t.region_id = s.region_id AND t.place = 1 + skewed_up_to(f.places, s.i, 68)
LEFT JOIN (SELECT sale_id, sum(discount_amount) AS discount FROM sale_promotion GROUP BY sale_id) AS o ON o.sale_id = s.i
ORDER BY sale_id;

CREATE TABLE return_fact AS
WITH returned AS (
    SELECT s.*, n.range AS n, s.sale_date + CAST(2 + up_to(38, s.sale_id * 2 + n.range, 70) AS INTEGER) AS return_date
    FROM sales_fact AS s, range(2) AS n
    WHERE up_to(1000, s.sale_id, 71) < CASE WHEN s.product_id % 8 = 1 THEN 130 ELSE 45 END
        AND (n.range = 0 OR (s.quantity > 1 AND s.sale_id % 3 = 0)))
SELECT
    500000 + row_number() OVER (ORDER BY return_date, sale_id, n) AS return_id,
    sale_id,
    return_date,
    CAST(1 AS INTEGER) AS quantity,
    CAST(-(CAST(amount * 100 AS BIGINT) // quantity) * 0.01 AS DECIMAL(12, 2)) AS amount,
    ['DMG', 'SIZE', 'size', 'dmg', 'LATE', 'Late', 'OTHER', 'Size'][1 + up_to(8, sale_id + n, 72)] AS reason_code
FROM returned
WHERE return_date < DATE '2026-07-15'
ORDER BY 1;

CREATE TABLE sales_target AS
SELECT
    CAST(r AS INTEGER) AS region_id,
    CAST(y AS INTEGER) AS fiscal_year,
    CAST(q AS INTEGER) AS fiscal_quarter,
    CAST([230, 275, 178, 140, 62][r] * [88, 92, 100, 150][q] * (y - 2020 + 10) * (92 + up_to(18, r * 100 + y * 4 + q, 75)) // 10 * 0.19 AS DECIMAL(12, 2)) AS target_amount
FROM range(1, 6) AS a(r), range(2023, 2027) AS b(y), range(1, 5) AS c(q)
ORDER BY 1, 2, 3;

CREATE TABLE inventory_fact AS
SELECT
    snapshot_date, s.store_id, p.product_id,
    CAST(skewed_up_to(140, s.store_id * 1000 + p.product_id + m * 77777, 80) AS INTEGER) AS on_hand,
    CAST(4 + up_to(12, p.product_id, 81) AS INTEGER) AS reorder_point
FROM (VALUES (1, DATE '2026-04-30'), (2, DATE '2026-05-31'), (3, DATE '2026-06-30')) AS v(m, snapshot_date)
JOIN store_dim AS s ON s.opened_on < DATE '2026-01-01' AND s.closed_on IS NULL
JOIN product_dim AS p ON p.status_code = 'A' AND up_to(100, s.store_id * 300 + p.product_id, 82) < 55
ORDER BY 1, 2, 3;

-- Membership: invoices and what they bill -----------------------------------------------------

CREATE TEMP TABLE invoice_seed AS
SELECT
    row_number() OVER (ORDER BY issued_on, customer_id) + 70000 AS invoice_id, *
FROM (
    SELECT customer_id, mrr, region_id, CAST(m AS DATE) + CAST(customer_id % 25 AS INTEGER) AS issued_on
    FROM customers, range(TIMESTAMP '2023-07-01', TIMESTAMP '2026-07-15', INTERVAL 1 MONTH) AS t(m)
    WHERE plan <> 'FREE' AND (month(m) + customer_id) % 3 = 0
        AND CAST(m AS DATE) >= signup_date AND CAST(m AS DATE) <= coalesce(cancelled_on, DATE '2026-07-15'))
WHERE issued_on < DATE '2026-07-15';

CREATE TABLE invoices AS
WITH marked AS (
    SELECT *, CASE
        WHEN up_to(1000, invoice_id, 90) < 18 THEN 'VD'
        WHEN up_to(1000, invoice_id, 90) < CASE WHEN issued_on >= DATE '2026-04-01' THEN 260 ELSE 40 END THEN 'OP'
        WHEN issued_on + CAST(3 + up_to(50, invoice_id, 91) AS INTEGER) >= DATE '2026-07-15' THEN 'OP'
        ELSE 'PD' END AS status
    FROM invoice_seed)
SELECT
    invoice_id, customer_id, issued_on,
    issued_on + 30 AS due_date,
    CASE WHEN status = 'PD' THEN issued_on + CAST(3 + up_to(50, invoice_id, 91) AS INTEGER) END AS paid_date,
    status
FROM marked
ORDER BY 1;

CREATE TABLE billing_fact AS
SELECT
    900000 + row_number() OVER (ORDER BY invoice_id, k) AS billing_id,
    invoice_id, customer_id, region_id,
    issued_on AS billing_date,
    ['membership', 'delivery', 'late fee'][1 + k] AS charge_type,
    CASE k WHEN 0 THEN CAST(mrr * 3 AS DECIMAL(12, 2)) WHEN 1 THEN dollars(399 + up_to(22, invoice_id, 92) * 50) ELSE dollars(500) END AS invoice_amount
FROM invoice_seed, range(3) AS t(k)
WHERE k = 0 OR (k = 1 AND up_to(100, invoice_id, 93) < 36) OR (k = 2 AND up_to(100, invoice_id, 94) < 6)
ORDER BY 1;

-- Service and features ------------------------------------------------------------------------

CREATE TABLE support_tickets AS
WITH opened AS (
    SELECT i, c.customer_id,
        CAST(greatest(c.signup_date, DATE '2024-01-01' + CAST(up_to(925, i, 100) AS INTEGER)) AS TIMESTAMP)
            + to_minutes(420 + up_to(840, i, 101)) AS opened_at
    FROM range(1, 8001) AS t(i)
    JOIN customers AS c ON c.customer_id = 1 + leaning_up_to(5000, i, 102))
SELECT
    CAST(row_number() OVER (ORDER BY opened_at, i) AS INTEGER) AS ticket_id,
    customer_id, opened_at,
    CASE WHEN i % 29 <> 0 AND opened_at < TIMESTAMP '2026-07-01' THEN opened_at + to_minutes(20 + skewed_up_to(9000, i, 103)) END AS closed_at,
    ['P3', 'P3', 'P2', 'P4', 'P3', 'P2', 'P4', 'P1'][1 + up_to(8, i, 104)] AS priority,
    ['Delivery', 'Delivery', 'Billing', 'Returns', 'Product', 'Account'][1 + up_to(6, i, 105)] AS topic,
    CAST(CASE WHEN i % 3 = 0 AND i % 29 <> 0 AND opened_at < TIMESTAMP '2026-07-01' THEN 5 - skewed_up_to(5, i, 106) END AS INTEGER) AS satisfaction
FROM opened
ORDER BY 1;

CREATE TABLE customer_snapshot AS
WITH days AS (
    SELECT unnest([DATE '2025-06-30', DATE '2025-09-30', DATE '2025-12-31', DATE '2026-03-31', DATE '2026-06-30']) AS snapshot_date),
bought AS (
    SELECT d.snapshot_date, s.customer_id,
        count(*) FILTER (WHERE s.sale_date > d.snapshot_date - 90) AS orders_90d,
        sum(s.amount) FILTER (WHERE s.sale_date > d.snapshot_date - 90) AS spend_90d,
        max(s.sale_date) AS last_sale
    FROM days AS d JOIN sales_fact AS s ON s.sale_date <= d.snapshot_date AND s.customer_id IS NOT NULL
    GROUP BY ALL),
asked AS (
    SELECT d.snapshot_date, t.customer_id, count(*) AS tickets_90d
    FROM days AS d JOIN support_tickets AS t
        ON CAST(t.opened_at AS DATE) <= d.snapshot_date AND CAST(t.opened_at AS DATE) > d.snapshot_date - 90
    GROUP BY ALL)
SELECT
    d.snapshot_date, c.customer_id,
    CAST(coalesce(b.orders_90d, 0) AS INTEGER) AS orders_90d,
    CAST(coalesce(b.spend_90d, 0) AS DECIMAL(12, 2)) AS spend_90d,
    CAST(coalesce(a.tickets_90d, 0) AS INTEGER) AS tickets_90d,
    CAST(d.snapshot_date - b.last_sale AS INTEGER) AS days_since_sale,
    CASE WHEN d.snapshot_date < DATE '2026-06-30'
        THEN coalesce(c.cancelled_on <= d.snapshot_date + 90, FALSE) END AS churned_next_90d
FROM days AS d
JOIN customers AS c ON c.signup_date <= d.snapshot_date AND coalesce(c.cancelled_on, DATE '2099-01-01') > d.snapshot_date
LEFT JOIN bought AS b ON b.snapshot_date = d.snapshot_date AND b.customer_id = c.customer_id
LEFT JOIN asked AS a ON a.snapshot_date = d.snapshot_date AND a.customer_id = c.customer_id
ORDER BY 1, 2;

-- The order system before July 2023, whose names nobody explains -------------------------------

CREATE TABLE t_ord_x AS
SELECT
    'X' || (40000 + i) AS c01,
    CAST(CASE WHEN i % 97 = 0 THEN 90000 + i ELSE 1 + leaning_up_to(2000, i, 110) END AS INTEGER) AS c02,
    DATE '2020-01-02' + CAST(up_to(1290, i, 111) AS INTEGER) AS c03,
    ['W1', 'W2', 'W2', 'W3'][1 + up_to(4, i, 112)] AS c05,
    CAST(CASE WHEN up_to(100, i, 113) < 8 THEN 3 WHEN up_to(100, i, 113) < 11 THEN 1 ELSE 2 END AS INTEGER) AS c07,
    CAST(1500 + skewed_up_to(62000, i, 114) AS INTEGER) AS c09,
    CAST(1 + skewed_up_to(6, i, 115) AS INTEGER) AS c11,
    CASE WHEN i % 13 <> 0 THEN dollars(350 + up_to(48, i, 116) * 25) END AS c14
FROM range(1, 4001) AS t(i)
ORDER BY 1;
