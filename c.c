int  f( int a );
