    if (x && (a == b)) {
