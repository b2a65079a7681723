import { code, type Snippet } from './snippet.js';

/** Keep a connection open longer than senders and balancers do, and wait for a slow body. */
export const connection: Snippet = {
  Express: code`
    const server = app.listen(3000);
    server.keepAliveTimeout = 65_000; // longer than the 60 s of most balancers
    server.requestTimeout = 60_000; // a slow body may take its time
  `,
  'Next.js': code`
    // package.json: "start": "next start --keepAliveTimeout 65000"
  `,
  Fastify: code`
    import fastify from 'fastify';

    const app = fastify({ keepAliveTimeout: 65_000, requestTimeout: 60_000 });
  `,
  FastAPI: code`
    import uvicorn

    uvicorn.run(app, timeout_keep_alive=65)  # longer than the 60 s of most balancers
  `,
  Flask: code`
    # gunicorn.conf.py
    worker_class = "gthread"  # the default class keeps no connection
    keepalive = 65
  `,
  Go: code`
    package main

    import (
        "log"
        "net/http"
        "time"
    )

    func main() {
        server := &http.Server{
            Addr:        ":3000",
            IdleTimeout: 65 * time.Second, // longer than the 60 s of most balancers
            ReadTimeout: 60 * time.Second, // a slow body may take its time
        }
        log.Fatal(server.ListenAndServe())
    }
  `,
  Rails: code`
    # config/puma.rb
    persistent_timeout 65 # longer than the 60 s of most balancers
    first_data_timeout 60
  `,
  Laravel: code`
    // nginx: keepalive_timeout 65s; client_body_timeout 60s;
  `,
};
