CREATE TABLE "größe" ("длина" INT);
CREATE VIEW v AS SELECT "длино" FROM "größe";
