SELECT epoch, features, (SELECT user_version FROM pragma_user_version) AS schema_version FROM store;
