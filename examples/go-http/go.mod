module example.com/go-http

go 1.22
