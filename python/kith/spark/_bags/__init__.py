"""From a table of texts or the files of a crawl to weighted bags."""
