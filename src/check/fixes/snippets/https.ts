import { code, type Snippet } from './snippet.js';

/** Serve the whole chain of a certificate that is in date, with TLS 1.2 or newer. */
export const https: Snippet = {
  Express: code`
    import { readFileSync } from 'node:fs';
    import { createServer } from 'node:https';

    const cert = readFileSync('fullchain.pem'); // with the intermediate, not cert.pem
    const options = { cert, key: readFileSync('privkey.pem'), minVersion: 'TLSv1.2' };
    createServer(options, app).listen(443);
  `,
  'Next.js': code`
    // Behind nginx: ssl_certificate fullchain.pem; ssl_protocols TLSv1.2 TLSv1.3;
    // Behind Caddy, which gets and renews the certificate by itself:
    //   hooks.example.com { reverse_proxy localhost:3000 }
  `,
  Fastify: code`
    import fastify from 'fastify';
    import { readFileSync } from 'node:fs';

    const cert = readFileSync('fullchain.pem'); // with the intermediate, not cert.pem
    const key = readFileSync('privkey.pem');
    const app = fastify({ https: { cert, key, minVersion: 'TLSv1.2' } });
  `,
  FastAPI: code`
    import uvicorn

    uvicorn.run(  # fullchain.pem has the intermediate certificate, cert.pem has not
        app, port=443, ssl_certfile="fullchain.pem", ssl_keyfile="privkey.pem"
    )
  `,
  Flask: code`
    # gunicorn.conf.py
    certfile = "fullchain.pem"  # with the intermediate, not cert.pem
    keyfile = "privkey.pem"
  `,
  Go: code`
    package main

    import (
        "log"
        "net/http"
    )

    func main() {
        // fullchain.pem has the intermediate certificate, cert.pem has not.
        server := &http.Server{Addr: ":443"} // TLS 1.2 or newer by default
        log.Fatal(server.ListenAndServeTLS("fullchain.pem", "privkey.pem"))
    }
  `,
  Rails: code`
    # config/puma.rb; fullchain.pem has the intermediate certificate, cert.pem has not
    ssl_bind "0.0.0.0", "443", cert: "fullchain.pem", key: "privkey.pem"
  `,
  Laravel: code`
    // nginx: ssl_certificate fullchain.pem; ssl_certificate_key privkey.pem;
    //        ssl_protocols TLSv1.2 TLSv1.3;
  `,
};
