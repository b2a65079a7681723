# app/controllers/hooks_controller.rb; in config/routes.rb: post "/hook", to: "hooks#create"
require "json"

class HooksController < ActionController::API # asks for no CSRF token
  SEEN = Concurrent::Map.new # in production: a table with a unique index, kept for days

  def create
    body = request.raw_post.b # the bytes that were signed, not params
    return head :payload_too_large if body.bytesize > 1.megabyte
    return head :unauthorized unless signed?(body)
    # #if hasForms
    event = request.media_type == "application/x-www-form-urlencoded" ?
      request.request_parameters : JSON.parse(body, max_nesting: 500)
    # #else
    event = JSON.parse(body, max_nesting: 500) # only after the signature was verified
    # #end
    # #if challenge
    return render plain: event["challenge"] if event.is_a?(Hash) && event["challenge"]
    # #end
    # #if zoom
    if event.is_a?(Hash) && event["event"] == "endpoint.url_validation"
      token = event.dig("payload", "plainToken")
      mac = OpenSSL::HMAC.hexdigest("sha256", ENV["WEBHOOK_SECRET"], token)
      return render json: { plainToken: token, encryptedToken: mac }
    end
    # #end
    # #if batch
    return head :bad_request unless event.is_a?(Array)
    event.each do |one|
      id = (one.dig({{eventIdPath}}) rescue nil) # an event without an id is no repeat
      is_repeat = !id.nil? && SEEN.put_if_absent(id, true)
      Thread.new { handle(one) } unless is_repeat # in production: a job
    end
    # #else
    # #if idHeaderOfEvent
    id = request.headers["{{eventIdHeader}}"]
    # #else
    id = (event.dig({{eventIdPath}}) rescue nil) # an event without an id is no repeat
    # #end
    is_repeat = !id.nil? && SEEN.put_if_absent(id, true)
    Thread.new { handle(event) } unless is_repeat # in production: a job
    # #end
    head :no_content # also for a repeat, and for a type that is not known
  rescue JSON::ParserError
    head :bad_request
  end

  private

  # Works beside the response.
  def handle(event)
    puts event.to_json
  end

  {{verify}}
end
