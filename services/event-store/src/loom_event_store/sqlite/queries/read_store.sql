SELECT epoch, features, schema_version FROM store;
