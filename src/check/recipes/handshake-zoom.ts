import { code, type Recipe } from './recipe.js';

/** Zoom: send the `plainToken` back with its HMAC-SHA256, in hex. */
export const handshakeZoom: Recipe = {
  Express: code`
    if (event.event === 'endpoint.url_validation') {
      const { plainToken } = event.payload;
      const encryptedToken = createHmac('sha256', secret).update(plainToken).digest('hex');
      return res.json({ plainToken, encryptedToken });
    }
  `,
  'Next.js': code`
    if (event.event === 'endpoint.url_validation') {
      const { plainToken } = event.payload;
      const encryptedToken = createHmac('sha256', secret).update(plainToken).digest('hex');
      return Response.json({ plainToken, encryptedToken });
    }
  `,
  Fastify: code`
    if (event.event === 'endpoint.url_validation') {
      const { plainToken } = event.payload;
      const encryptedToken = createHmac('sha256', secret).update(plainToken).digest('hex');
      return reply.send({ plainToken, encryptedToken });
    }
  `,
  FastAPI: code`
    if event.get("event") == "endpoint.url_validation":
        token = event["payload"]["plainToken"]
        mac = hmac.new(secret, token.encode(), hashlib.sha256).hexdigest()
        return {"plainToken": token, "encryptedToken": mac}
  `,
  Flask: code`
    if event.get("event") == "endpoint.url_validation":
        token = event["payload"]["plainToken"]
        mac = hmac.new(secret, token.encode(), hashlib.sha256).hexdigest()
        return {"plainToken": token, "encryptedToken": mac}
  `,
  Go: code`
    mac := hmac.New(sha256.New, secret) // if event.Event == "endpoint.url_validation"
    mac.Write([]byte(event.Payload.PlainToken))
    json.NewEncoder(w).Encode(map[string]string{
        "plainToken":     event.Payload.PlainToken,
        "encryptedToken": hex.EncodeToString(mac.Sum(nil)),
    })
  `,
  Rails: code`
    if event["event"] == "endpoint.url_validation"
      token = event.dig("payload", "plainToken")
      mac = OpenSSL::HMAC.hexdigest("SHA256", secret, token)
      return render json: { plainToken: token, encryptedToken: mac }
    end
  `,
  Laravel: code`
    if (($event['event'] ?? null) === 'endpoint.url_validation') {
        $token = $event['payload']['plainToken'];
        $mac = hash_hmac('sha256', $token, $secret);
        return response()->json(['plainToken' => $token, 'encryptedToken' => $mac]);
    }
  `,
};
