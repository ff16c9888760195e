CREATE TABLE authors (author_id INTEGER PRIMARY KEY, name VARCHAR, born INTEGER, fee DECIMAL(8, 2));
CREATE TABLE books (book_id INTEGER PRIMARY KEY, author_id INTEGER REFERENCES authors (author_id),
  title VARCHAR, price DECIMAL(8, 2), genre VARCHAR);
CREATE TABLE loans (loan_id INTEGER PRIMARY KEY, book_id INTEGER REFERENCES books (book_id),
  day DATE, fine DECIMAL(8, 2));
CREATE TABLE reviews (book_id INTEGER REFERENCES books (book_id), reader VARCHAR, stars INTEGER,
  PRIMARY KEY (book_id, reader));
CREATE TABLE shelf_log (book_id INTEGER, shelf VARCHAR);
INSERT INTO authors VALUES (1, 'Ada', 1950, 100), (2, 'Bo', 1960, 100), (3, 'Cy', 1970, 40);
INSERT INTO books VALUES (10, 1, 'Tides', 20, 'sea'), (11, 1, 'Stones', 30, 'land'),
  (12, 2, 'Winter', 20, 'sea'), (13, 3, 'Plain', 15, 'land');
INSERT INTO loans VALUES (1, 10, '2026-01-05', 1), (2, 10, '2026-02-05', NULL), (3, 11, '2026-02-06', 2),
  (4, 12, '2026-02-07', 0.5);
INSERT INTO reviews VALUES (10, 'x', 5), (10, 'y', 4), (11, 'x', 3), (13, 'y', 1);
INSERT INTO shelf_log VALUES (10, 'A'), (10, 'B'), (11, 'A'), (12, 'C');
