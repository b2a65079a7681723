import { code, type Recipe } from './recipe.js';

/** While a secret is changed, accept the signature of either. */
export const rotate: Recipe = {
  Express: code`
    const secrets = [process.env.HOOK_SECRET, process.env.HOOK_SECRET_OLD].filter(Boolean);
    const given = req.get('X-Signature');
    if (!secrets.some((secret) => isSigned(req.body, given, secret)))
      return res.sendStatus(401);
  `,
  'Next.js': code`
    const secrets = [process.env.HOOK_SECRET, process.env.HOOK_SECRET_OLD].filter(Boolean);
    const given = request.headers.get('X-Signature');
    if (!secrets.some((secret) => isSigned(body, given, secret)))
      return new Response(null, { status: 401 });
  `,
  Fastify: code`
    const secrets = [process.env.HOOK_SECRET, process.env.HOOK_SECRET_OLD].filter(Boolean);
    const given = request.headers['x-signature'];
    if (!secrets.some((secret) => isSigned(request.body, given, secret)))
      return reply.code(401).send();
  `,
  FastAPI: code`
    secrets = [os.environ["HOOK_SECRET"], os.environ.get("HOOK_SECRET_OLD")]
    given = request.headers.get("X-Signature", "")
    if not any(is_signed(body, given, secret) for secret in secrets if secret):
        raise HTTPException(401)
  `,
  Flask: code`
    secrets = [os.environ["HOOK_SECRET"], os.environ.get("HOOK_SECRET_OLD")]
    given = request.headers.get("X-Signature", "")
    if not any(is_signed(body, given, secret) for secret in secrets if secret):
        abort(401)
  `,
  Go: code`
    secrets := strings.Fields(os.Getenv("HOOK_SECRETS")) // new and old
    isRight := func(secret string) bool { return isSigned(body, given, secret) }
    if !slices.ContainsFunc(secrets, isRight) {
        http.Error(w, "wrong signature", http.StatusUnauthorized)
        return
    }
  `,
  Rails: code`
    secrets = [ENV["HOOK_SECRET"], ENV["HOOK_SECRET_OLD"]].compact
    given = request.headers["X-Signature"].to_s
    unless secrets.any? { |secret| signed?(request.raw_post, given, secret) }
      return head :unauthorized
    end
  `,
  Laravel: code`
    $secrets = collect(config('services.hook.secrets'))->filter();
    $given = $request->header('X-Signature', '');
    $isRight = fn ($secret) => isSigned($request->getContent(), $given, $secret);
    abort_unless($secrets->contains($isRight), 401);
  `,
};
