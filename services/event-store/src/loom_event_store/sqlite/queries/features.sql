SELECT features FROM store;
