CREATE TABLE students (id INTEGER PRIMARY KEY, name VARCHAR, grade INTEGER, age INTEGER,
                       state VARCHAR, born DATE);
CREATE TABLE pets (id INTEGER PRIMARY KEY, kind VARCHAR, weight DOUBLE);
CREATE TABLE has_pet (student_id INTEGER REFERENCES students (id), pet_id INTEGER REFERENCES pets (id),
                      PRIMARY KEY (student_id, pet_id));
CREATE TABLE likes (student_id INTEGER REFERENCES students (id), liked_id INTEGER REFERENCES students (id));
CREATE TABLE lessons (tutor_id INTEGER REFERENCES students (id), pupil_id INTEGER REFERENCES students (id));
CREATE TABLE makers (id INTEGER PRIMARY KEY, full_name VARCHAR, country_id INTEGER);
CREATE TABLE countries (id INTEGER PRIMARY KEY, name VARCHAR, is_official VARCHAR);
CREATE TABLE sales (sale_id INTEGER PRIMARY KEY, student_id INTEGER REFERENCES students (id),
                    sale_date DATE, ship_date DATE, amount DECIMAL(10, 2), total_mrr DECIMAL(10, 2),
                    reason_code VARCHAR, discount INTEGER, churned BOOLEAN);
INSERT INTO students VALUES
  (1, 'Ann', 9, 14, 'NY', DATE '2010-01-05'), (2, 'Bob', 10, 15, 'CA', DATE '2009-03-02'),
  (3, 'Kyle', 10, 16, 'NY', DATE '2008-07-19'), (4, 'Ann', 12, 31, 'TX', DATE '1993-11-30'),
  (5, 'Dora', 11, 17, 'CA', DATE '2007-02-11');
INSERT INTO pets VALUES (1, 'cat', 3.5), (2, 'dog', 12.0), (3, 'dog', 8.5), (4, 'cat', 4.1);
INSERT INTO has_pet VALUES (1, 1), (1, 2), (2, 3), (3, 4);
INSERT INTO likes VALUES (1, 2), (3, 2), (4, 3), (2, 1), (2, 5), (5, 1);
INSERT INTO lessons VALUES (1, 2), (1, 3), (5, 2);
INSERT INTO makers VALUES (1, 'Ford Motor', 1), (2, 'Volvo', 2), (3, 'Saab', NULL), (4, 'Opel ', NULL);
INSERT INTO countries VALUES (1, 'usa', 'T'), (2, 'sweden', 'F'), (3, 'germany', 'T');
INSERT INTO sales VALUES
  (1, 1, DATE '2026-01-10', DATE '2026-02-01', 10, 100, 'dmg', 1, TRUE),
  (2, 1, DATE '2026-02-11', DATE '2026-03-03', 20, 200, 'Dmg', 0, FALSE),
  (3, 2, DATE '2026-03-12', DATE '2026-03-20', 30, 300, 'DMG', 2, FALSE),
  (4, 3, DATE '2026-04-15', DATE '2026-04-18', 40, 400, 'late', 3, TRUE),
  (5, 5, DATE '2026-05-20', DATE '2026-06-02', 50, 500, 'late', 1, FALSE);
