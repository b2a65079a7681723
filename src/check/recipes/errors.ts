import { code, type Recipe } from './recipe.js';

/** Log what went wrong; answer only that it did. */
export const errors: Recipe = {
  Express: code`
    app.use((error, req, res, next) => {
      console.error(error); // for you alone
      res.sendStatus(error.status ?? 500);
    });
  `,
  'Next.js': code`
    try {
      return await handle(request);
    } catch (error) {
      console.error(error); // for you alone
      return new Response(null, { status: 500 });
    }
  `,
  Fastify: code`
    app.setErrorHandler((error, request, reply) => {
      request.log.error(error); // for you alone
      reply.code(error.statusCode ?? 500).send();
    });
  `,
  FastAPI: code`
    app = FastAPI(debug=False)

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
    if err != nil {
        log.Print(err) // for you alone
        http.Error(w, "internal error", http.StatusInternalServerError)
        return
    }
  `,
  Rails: code`
    # config/environments/production.rb
    config.consider_all_requests_local = false
  `,
  Laravel: code`
    # .env; afterwards: php artisan config:cache
    APP_ENV=production
    APP_DEBUG=false
  `,
};
