UPDATE store SET features = :features;
