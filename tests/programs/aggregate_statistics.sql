CREATE TABLE t (k BIGINT, i INTEGER, j BIGINT NOT NULL, d DECIMAL(12, 2), e DECIMAL(30, 5), r REAL, x DOUBLE, b BOOLEAN);
CREATE VIEW spread AS SELECT k, STDDEV(i) AS si, STDDEV_POP(d) AS sd, VAR_POP(e) AS ve, VARIANCE(x) AS vx, STDDEV_SAMP(r) AS sr, VAR_SAMP(j) AS vj FROM t GROUP BY k;
CREATE VIEW pairs AS SELECT k, COVAR_POP(i, d) AS cp, COVAR_SAMP(x, r) AS cs, CORR(x, i) AS c, CORR(d, e) AS ce, REGR_COUNT(i, x) AS n, REGR_AVGX(i, x) AS ax, REGR_AVGY(d, j) AS ay FROM t GROUP BY k;
CREATE VIEW lines AS SELECT k, REGR_SXX(i, j) AS sxx, REGR_SYY(x, d) AS syy, REGR_SXY(r, x) AS sxy, REGR_SLOPE(x, i) AS slope, REGR_INTERCEPT(d, i) AS intercept, REGR_R2(x, r) AS r2 FROM t GROUP BY k;
CREATE VIEW chosen AS SELECT STDDEV_POP(DISTINCT i) AS once, VAR_SAMP(x) FILTER (WHERE b) AS some, COVAR_POP(DISTINCT i, x) AS pairs, CORR(x, i) FILTER (WHERE i > 0) AS c FROM t;
CREATE VIEW in_subquery AS SELECT k, j, (SELECT STDDEV_POP(u.x) FROM t AS u WHERE u.k = t.k AND u.j < t.j) AS before FROM t;
