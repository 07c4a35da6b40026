"""How services hint each other: one port, an in-process body, and Kafka's when it comes."""
