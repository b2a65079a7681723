/** Whether the signature is right: Twilio signs the URL and the sorted fields of a form. */
private function isSigned(string $body, Request $request): bool
{
    $given = $request->header('{{header}}', '');
    $url = $request->getSchemeAndHttpHost() . $request->getRequestUri();
    $digest = $request->query('bodySHA256'); // of a body that is no form
    if ($digest !== null && $digest !== hash('sha256', $body)) {
        return false;
    }
    $fields = $digest === null ? $this->fields($body) : '';
    // The current secret, and the previous one during a rotation.
    // With config:cache, read them in config/services.php.
    foreach (array_filter([env('WEBHOOK_SECRET'), env('WEBHOOK_SECRET_OLD')]) as $secret) {
        // A port may be left out.
        foreach ([$url, preg_replace('~^(https?://[^/:]+):\d+~', '$1', $url)] as $one) {
            $right = base64_encode(hash_hmac('sha1', $one . $fields, $secret, true));
            if (hash_equals($right, $given)) {
                return true;
            }
        }
    }
    return false;
}

private function fields(string $form): string
{
    $fields = []; // not by parse_str, which changes names
    foreach (array_filter(explode('&', $form), 'strlen') as $pair) {
        [$name, $value] = array_map('urldecode', explode('=', $pair, 2) + [1 => '']);
        $fields[$name][$value] = $name . $value;
    }
    ksort($fields, SORT_STRING);
    $text = '';
    foreach ($fields as $values) {
        ksort($values, SORT_STRING);
        $text .= implode($values);
    }
    return $text;
}
