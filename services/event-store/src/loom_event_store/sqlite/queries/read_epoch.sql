SELECT epoch FROM store;
