import { code, type Recipe } from './recipe.js';

/** Compute the signature of the raw body and compare it in constant time; here for X-Signature. */
export const verify: Recipe = {
  Express: code`
    const right = Buffer.from(createHmac('sha1', secret).update(req.body).digest('hex'));
    const given = Buffer.from(req.get('X-Signature') ?? ''); // req.body: raw bytes
    if (given.length !== right.length || !timingSafeEqual(given, right))
      return res.sendStatus(401);
  `,
  'Next.js': code`
    const body = Buffer.from(await request.arrayBuffer());
    const right = Buffer.from(createHmac('sha1', secret).update(body).digest('hex'));
    const given = Buffer.from(request.headers.get('X-Signature') ?? '');
    if (given.length !== right.length || !timingSafeEqual(given, right))
      return new Response(null, { status: 401 });
  `,
  Fastify: code`
    const { body, headers } = request; // body: a Buffer, see addContentTypeParser
    const right = Buffer.from(createHmac('sha1', secret).update(body).digest('hex'));
    const given = Buffer.from(headers['x-signature'] ?? '');
    if (given.length !== right.length || !timingSafeEqual(given, right))
      return reply.code(401).send();
  `,
  FastAPI: code`
    body = await request.body()
    expected = hmac.new(secret, body, hashlib.sha1).hexdigest()
    given = request.headers.get("X-Signature", "")
    if not hmac.compare_digest(given.encode(), expected.encode()):
        raise HTTPException(401)
  `,
  Flask: code`
    expected = hmac.new(secret, request.get_data(), hashlib.sha1).hexdigest()
    given = request.headers.get("X-Signature", "")
    if not hmac.compare_digest(given.encode(), expected.encode()):
        abort(401)
  `,
  Go: code`
    mac := hmac.New(sha1.New, secret)
    mac.Write(body)
    given, err := hex.DecodeString(r.Header.Get("X-Signature"))
    isRight := err == nil && hmac.Equal(given, mac.Sum(nil)) // if not: 401
  `,
  Rails: code`
    expected = OpenSSL::HMAC.hexdigest("SHA1", secret, request.raw_post)
    given = request.headers["X-Signature"].to_s
    unless ActiveSupport::SecurityUtils.secure_compare(given, expected)
      return head :unauthorized
    end
  `,
  Laravel: code`
    $expected = hash_hmac('sha1', $request->getContent(), $secret);
    $given = $request->header('X-Signature', '');
    abort_unless(hash_equals($expected, $given), 401);
  `,
};
