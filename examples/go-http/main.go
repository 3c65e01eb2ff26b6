// A JSON greeting with Go's standard library.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"log"
	"net/http"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"
)

func main() {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", greet)
	mux.HandleFunc("GET /hello/{name}", greet)

	server := &http.Server{
		Addr:              "0.0.0.0:" + envOr("PORT", "8080"),
		Handler:           mux,
		ReadHeaderTimeout: 10 * time.Second,
	}

	stop, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer cancel()
	done := make(chan error, 1)
	go func() {
		<-stop.Done()
		// The platform allows 10 s between SIGTERM and SIGKILL.
		limit, cancel := context.WithTimeout(context.Background(), 9*time.Second)
		defer cancel()
		done <- server.Shutdown(limit)
	}()

	log.Printf("listening on %s", server.Addr)
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
	if err := <-done; err != nil {
		log.Fatal(err)
	}
}

func greet(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	if name == "" {
		name = "world"
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]string{
		"message": "Hello, " + name,
		"service": envOr("K_SERVICE", "local"),
		"go":      runtime.Version(),
	})
}

func envOr(key, fallback string) string {
	if value := os.Getenv(key); value != "" {
		return value
	}
	return fallback
}
