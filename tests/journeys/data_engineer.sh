#!/bin/bash
# Has a folder of Parquet files, and wants them without near-duplicates.
# shellcheck source-path=SCRIPTDIR source=steps.sh
source "$(dirname "$0")/steps.sh"
have parquet shards

install_wheel polars
step docs/python.md "python - <<'END'
import kith, polars

frame = polars.read_parquet('shards/*.parquet')
marks = kith.dedup(frame, text='text', id='url', similarity=0.8).to_polars()
clean = frame.filter(marks['keep'])
clean.write_parquet('clean.parquet')
print(frame.height, clean.height, clean.columns)
print(frame.hstack(marks).filter(polars.col('group') == 1).select('url', 'kept_id', 'similarity'))
END"
prints "^408 3[0-9][0-9] \['url', 'text', 'lang'\]"
prints "pydicom"
leaves clean.parquet PAR1
step docs/python.md "python - <<'END'
import kith, polars

frame = polars.read_parquet('clean.parquet')
clusterer = kith.Clusterer()
frame = frame.with_columns(cluster=clusterer.fit_predict(frame['text']))
print(max(frame['cluster']), clusterer.cluster_names_[0])
END"
prints "^[0-9]+ [a-z]+, "
step "kith dedup --help" "kith dedup shards -o copies --write kept --format parquet"
leaves copies/groups.parquet PAR1
leaves "$(find kept -name "*.parquet" | head -n 1)" PAR1
done_with
