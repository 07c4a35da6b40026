UPDATE store SET epoch = epoch + 1;
