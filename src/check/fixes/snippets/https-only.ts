import { code, type Snippet } from './snippet.js';

/** Accept no event over plain http. */
export const httpsOnly: Snippet = {
  Express: code`
    // Above the route of the webhook:
    app.set('trust proxy', 1); // behind one proxy, which sets X-Forwarded-Proto
    app.use('/hook', (req, res, next) => (req.secure ? next() : res.sendStatus(403)));
  `,
  'Next.js': code`
    // middleware.js; behind a proxy, which sets the header
    export const config = { matcher: '/hook' };

    export function middleware(request) {
      if (request.headers.get('x-forwarded-proto') !== 'https')
        return new Response(null, { status: 403 });
    }
  `,
  Fastify: code`
    import fastify from 'fastify';

    const app = fastify({ trustProxy: 1 }); // behind one proxy
    app.addHook('onRequest', async (request, reply) => {
      if (request.protocol !== 'https') return reply.code(403).send();
    });
  `,
  FastAPI: code`
    # uvicorn --proxy-headers, behind a proxy
    from fastapi import Response

    @app.middleware("http")
    async def https_only(request, call_next):
        if request.url.scheme != "https":
            return Response(status_code=403)
        return await call_next(request)
  `,
  Flask: code`
    from flask import abort, request
    from werkzeug.middleware.proxy_fix import ProxyFix

    app.wsgi_app = ProxyFix(app.wsgi_app, x_proto=1)  # behind one proxy

    @app.before_request
    def https_only():
        if not request.is_secure:
            abort(403)
  `,
  Go: code`
    package main

    import "net/http"

    // Around the handler of the webhook; a proxy sets the header.
    func httpsOnly(hook http.HandlerFunc) http.HandlerFunc {
        return func(w http.ResponseWriter, r *http.Request) {
            if r.TLS == nil && r.Header.Get("X-Forwarded-Proto") != "https" {
                w.WriteHeader(http.StatusForbidden)
                return
            }
            hook(w, r)
        }
    }
  `,
  Rails: code`
    # config/environments/production.rb
    Rails.application.configure do
      config.force_ssl = true
    end
  `,
  Laravel: code`
    // At the top of the handler, with trustProxies() in bootstrap/app.php:
    abort_unless(request()->secure(), 403);
  `,
};
