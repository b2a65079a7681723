import { code, type Snippet } from './snippet.js';

/** Log what went wrong; answer only that it did. */
export const errors: Snippet = {
  Express: code`
    // Below all routes:
    app.use((error, req, res, next) => {
      console.error(error); // for you alone
      res.sendStatus(error.status ?? 500);
    });
  `,
  'Next.js': code`
    // Only next dev shows what went wrong. Run the endpoint with next build and next start.
  `,
  Fastify: code`
    app.setErrorHandler((error, request, reply) => {
      request.log.error(error); // for you alone
      reply.code(error.statusCode ?? 500).send();
    });
  `,
  FastAPI: code`
    from fastapi import Response

    app.debug = False

    @app.exception_handler(Exception)  # uvicorn logs the error itself
    async def failed(request, error):
        return Response(status_code=500)
  `,
  Flask: code`
    app.debug = False

    @app.errorhandler(500)  # Flask logs the error itself
    def failed(error):
        return "", 500
  `,
  Go: code`
    package main

    import (
        "log"
        "net/http"
    )

    // Around the handler of the webhook.
    func withoutDetails(hook http.HandlerFunc) http.HandlerFunc {
        return func(w http.ResponseWriter, r *http.Request) {
            defer func() {
                if err := recover(); err != nil {
                    log.Print(err) // for you alone
                    w.WriteHeader(http.StatusInternalServerError)
                }
            }()
            hook(w, r)
        }
    }
  `,
  Rails: code`
    # config/environments/production.rb
    Rails.application.configure do
      config.consider_all_requests_local = false
    end
  `,
  Laravel: code`
    // .env; afterwards: php artisan config:cache
    // APP_ENV=production
    // APP_DEBUG=false
  `,
};
