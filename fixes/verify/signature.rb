require "openssl"
# #if judgesIso
require "time"
# #end

# Whether the request is signed as {{scheme}} says, with one of the secrets.
def signed?(body)
  # #if id
  id = request.headers["{{idHeader}}"].to_s
  # #end
  # #if timeHeader
  sent_at = request.headers["{{timeHeader}}"].to_s
  # #end
  # #if timePattern
  sent_at = request.headers["{{header}}"].to_s[/{{timePattern}}/, 1].to_s
  # #end
  # #if judgesSeconds
  return false if (Time.now.to_f - sent_at.to_f).abs > {{tolerance}} # seconds
  # #end
  # #if judgesMs
  return false if (Time.now.to_f - sent_at.to_f / 1000).abs > {{tolerance}} # seconds
  # #end
  # #if judgesIso
  return false if (Time.now - Time.iso8601(sent_at)).abs > {{tolerance}} # seconds
  # #end
  # #if list
  given = request.headers["{{header}}"].to_s.split("{{separator}}")
  # #end
  # #if two
  given = [request.headers["{{header}}"].to_s, request.headers["{{secondHeader}}"].to_s]
  # #end
  # #if one
  given = [request.headers["{{header}}"].to_s]
  # #end
  # #if computesContent
  content = {{content}}
  # #end
  # #if ed25519
  # Public keys (whpk_…): the current one, and the previous one during a rotation.
  # #else
  # The current secret, and the previous one during a rotation.
  # #end
  secrets = ENV.values_at("WEBHOOK_SECRET", "WEBHOOK_SECRET_OLD").compact_blank
  secrets.any? do |secret|
    # #if ed25519
    key = ["302a300506032b6570032100"].pack("H*") + secret.delete_prefix("whpk_").unpack1("m")
    given.any? do |one|
      # #if base64Signature
      signature = one[/{{itemPattern}}/, 1].to_s.unpack1("m")
      # #else
      signature = [one[/{{itemPattern}}/, 1].to_s].pack("H*")
      # #end
      OpenSSL::PKey.read(key).verify(nil, signature, {{contentName}})
    end
    # #else
    # #if base64Key
    key = secret.delete_prefix("{{prefix}}").unpack1("m")
    # #end
    # #if prefixedKey
    key = secret.delete_prefix("{{prefix}}")
    # #end
    # #if plainKey
    key = secret
    # #end
    # #if base64Signature
    signature = [OpenSSL::HMAC.digest("{{digest}}", key, {{contentName}})].pack("m0")
    # #else
    signature = OpenSSL::HMAC.hexdigest("{{digest}}", key, {{contentName}})
    # #end
    given.any? { |one| ActiveSupport::SecurityUtils.secure_compare(one, {{right}}) }
    # #end
  end
# #if judgesIso
rescue ArgumentError # no time
  false
# #end
end
