"""What is common to clusters and near-duplicates: documents, their candidates, exact similarities,
centers."""
