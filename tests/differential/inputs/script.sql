create table t(a integer primary key, b text, c real);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 60000)
  insert into t select i, printf('%08x', (i * 2654435761) % 4294967296), i * 0.37 from n;
create index tb on t(b);
select count(*), sum(a), round(avg(c), 6), min(b), max(b) from t;
select substr(b, 1, 1) as k, count(*), round(sum(c), 3) from t group by k order by k;
select a, b from t where b like '%abc%' order by b limit 20;
update t set c = c * 2 where a % 3 = 0;
delete from t where a % 7 = 1;
select x.a, y.a from t x join t y on x.b < y.b and y.a = x.a + 1 where x.a % 5000 = 0 order by x.a;
pragma integrity_check;
select json_group_array(a) from (select a from t where a < 30);
select no_such_column from t;
