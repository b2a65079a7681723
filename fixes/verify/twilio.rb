require "openssl"

# Whether the request is signed as Twilio says: the URL, and the sorted fields of a form.
def signed?(body)
  given = request.headers["{{header}}"].to_s
  url = request.original_url
  digest = request.query_parameters["bodySHA256"] # of a body that is no form
  return false if digest && digest != OpenSSL::Digest::SHA256.hexdigest(body)
  fields = digest ? "" : URI.decode_www_form(body).uniq.sort.join
  secrets = ENV.values_at("WEBHOOK_SECRET", "WEBHOOK_SECRET_OLD").compact_blank
  urls = [url, url.sub(%r{\A(https?://[^/:]+):\d+}, '\1')] # a port may be left out
  secrets.product(urls).any? do |secret, one|
    right = [OpenSSL::HMAC.digest("sha1", secret, one + fields)].pack("m0")
    ActiveSupport::SecurityUtils.secure_compare(given, right)
  end
rescue ArgumentError # no form
  false
end
