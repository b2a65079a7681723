/** Whether the signature is right: by {{scheme}}, with one of the secrets. */
private function isSigned(string $body, Request $request): bool
{
    // #if id
    $id = $request->header('{{idHeader}}', '');
    // #end
    // #if timeHeader
    $sentAt = $request->header('{{timeHeader}}', '');
    // #end
    // #if timePattern
    preg_match('/{{timePattern}}/', $request->header('{{header}}', ''), $found);
    $sentAt = $found[1] ?? '';
    // #end
    // #if judgesSeconds
    if (abs(microtime(true) - (float) $sentAt) > {{tolerance}}) { // seconds
        return false;
    }
    // #end
    // #if judgesMs
    if (abs(microtime(true) - (float) $sentAt / 1000) > {{tolerance}}) { // seconds
        return false;
    }
    // #end
    // #if judgesIso
    if (abs(time() - (int) strtotime($sentAt)) > {{tolerance}}) { // seconds
        return false;
    }
    // #end
    // #if list
    $given = explode('{{separator}}', $request->header('{{header}}', ''));
    // #end
    // #if two
    $given = [$request->header('{{header}}', ''), $request->header('{{secondHeader}}', '')];
    // #end
    // #if one
    $given = [$request->header('{{header}}', '')];
    // #end
    // #if computesContent
    $content = {{content}};
    // #end
    // #if ed25519
    // Public keys (whpk_…): the current one, and the previous one during a rotation.
    // #else
    // The current secret, and the previous one during a rotation.
    // With config:cache, read them in config/services.php.
    // #end
    foreach (array_filter([env('WEBHOOK_SECRET'), env('WEBHOOK_SECRET_OLD')]) as $secret) {
        // #if ed25519
        $key = base64_decode(preg_replace('/^whpk_/', '', $secret));
        foreach ($given as $one) {
            preg_match('/{{itemPattern}}/', $one, $found);
            // #if base64Signature
            $signature = base64_decode($found[1] ?? '');
            // #else
            $signature = (string) @hex2bin($found[1] ?? '');
            // #end
            $isRight = strlen($signature) === 64
                && sodium_crypto_sign_verify_detached($signature, {{contentName}}, $key);
            if ($isRight) {
                return true;
            }
        }
        // #else
        // #if base64Key
        $key = base64_decode(preg_replace('/^{{prefixPattern}}/', '', $secret));
        // #end
        // #if prefixedKey
        $key = preg_replace('/^{{prefixPattern}}/', '', $secret);
        // #end
        // #if plainKey
        $key = $secret;
        // #end
        // #if base64Signature
        $signature = base64_encode(hash_hmac('{{digest}}', {{contentName}}, $key, true));
        // #else
        $signature = hash_hmac('{{digest}}', {{contentName}}, $key);
        // #end
        foreach ($given as $one) {
            if (hash_equals({{right}}, $one)) {
                return true;
            }
        }
        // #end
    }
    return false;
}
