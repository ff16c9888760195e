"""Amazon Athena behind the Engine protocol: pyathena for queries, boto3 for the rest."""
