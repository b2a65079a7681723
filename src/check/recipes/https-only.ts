import { code, type Recipe } from './recipe.js';

/** Accept no event over plain http. */
export const httpsOnly: Recipe = {
  Express: code`
    app.set('trust proxy', 1); // behind one proxy, which sets X-Forwarded-Proto
    app.use('/hook', (req, res, next) => (req.secure ? next() : res.sendStatus(403)));
  `,
  'Next.js': code`
    // Behind a proxy, which sets the header:
    if (request.headers.get('x-forwarded-proto') !== 'https')
      return new Response(null, { status: 403 });
  `,
  Fastify: code`
    const app = fastify({ trustProxy: 1 }); // behind one proxy
    app.addHook('onRequest', async (request, reply) => {
      if (request.protocol !== 'https') return reply.code(403).send();
    });
  `,
  FastAPI: code`
    # uvicorn --proxy-headers, behind a proxy
    app.add_middleware(HTTPSRedirectMiddleware)
  `,
  Flask: code`
    app.wsgi_app = ProxyFix(app.wsgi_app, x_proto=1)  # behind one proxy

    @app.before_request
    def https_only():
        if not request.is_secure:
            abort(403)
  `,
  Go: code`
    if r.TLS == nil && r.Header.Get("X-Forwarded-Proto") != "https" { // set by the proxy
        http.Error(w, "HTTPS only", http.StatusForbidden)
        return
    }
  `,
  Rails: code`
    # config/environments/production.rb
    config.force_ssl = true
  `,
  Laravel: code`
    abort_unless($request->secure(), 403); // with trustProxies() in bootstrap/app.php
  `,
};
