import { code, type Snippet } from './snippet.js';

/** Answer at the URL itself, with a slash at its end or without. */
export const redirect: Snippet = {
  Express: code`
    // Below the route of the webhook (which answers /hook/ as well), so that no event is redirected:
    app.use((req, res, next) =>
      req.secure ? next() : res.redirect(308, 'https://' + req.get('host') + req.originalUrl),
    );
  `,
  'Next.js': code`
    // next.config.mjs
    export default { trailingSlash: false, skipTrailingSlashRedirect: true };
  `,
  Fastify: code`
    import fastify from 'fastify';

    const app = fastify({ routerOptions: { ignoreTrailingSlash: true } });
  `,
  FastAPI: code`
    from fastapi import FastAPI

    app = FastAPI(redirect_slashes=False)  # the URL is then the one of the route, without a slash
  `,
  Flask: code`
    app.url_map.strict_slashes = False  # before the routes
  `,
  Go: code`
    package main

    import "net/http"

    // A pattern "/hook/" alone redirects /hook: register both with the handler of the webhook.
    func register(hook http.HandlerFunc) {
        http.HandleFunc("/hook", hook)
        http.HandleFunc("/hook/", hook)
    }
  `,
  Rails: code`
    # config/environments/production.rb
    Rails.application.configure do
      config.ssl_options = { redirect: { exclude: ->(r) { r.path.start_with?("/hook") } } }
    end
  `,
  Laravel: code`
    // Register the URL without a slash at its end: public/.htaccess redirects the other.
    // A route in routes/api.php has /api in front: https://example.com/api/hook
  `,
};
