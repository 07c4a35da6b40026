"""The bus over Apache Kafka. Nothing else imports aiokafka."""
