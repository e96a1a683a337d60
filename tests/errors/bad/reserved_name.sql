CREATE TABLE feldera_t (a INT);
