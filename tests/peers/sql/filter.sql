CREATE TABLE bid (auction BIGINT NOT NULL, bidder BIGINT NOT NULL, price BIGINT NOT NULL, channel BIGINT NOT NULL);
CREATE VIEW v AS SELECT auction, bidder, price * 89 / 100 AS euros FROM bid WHERE auction % 4 = 1 AND price > 1000;
