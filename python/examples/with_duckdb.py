"""Asks the run of a crawl by SQL: how many pages has each cluster?"""

import duckdb

import kith

kith.cluster("pages.jsonl", "run", bags="content", max_df=0.5, min_words=1)
clusters = kith.Run("run").clusters()
sql = "select cluster, count(*) as pages, min(url) as one from clusters group by 1 order by 1"
print(duckdb.execute(sql).fetchall())
