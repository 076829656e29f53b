create table t(a integer primary key, b text, c integer);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 60)
  insert into t select i, 'row' || (i * 37 % 101), i * i % 17 from n;
create index by_text on t(b);
select c, count(*), group_concat(b) from t group by c order by 2 desc, 1;
select a from t where b like 'row1%' order by b;
