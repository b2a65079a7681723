# Wrong: verifies the parameters that Rails has parsed, written as JSON again.
# app/controllers/hooks_controller.rb; in config/routes.rb: post "/hook", to: "hooks#create"
class HooksController < ApplicationController
  skip_forgery_protection # a sender has no CSRF token

  # In production: a table with a unique index on the id, and a job queue.
  SEEN = Concurrent::Set.new
  JOBS = Queue.new

  def create
    body = request.request_parameters.to_json
    return head :unauthorized unless signed?(body)

    event = JSON.parse(body)
    # Whatever its type: the work comes after the response.
    JOBS << event if SEEN.add?(event["id"])
    head :no_content
  rescue JSON::ParserError
    head :bad_request
  end

  private

  # Stripe-Signature: t=…,v1=…; https://docs.stripe.com/webhooks#verify-manually
  def signed?(body)
    items = request.headers["Stripe-Signature"].to_s.split(",").map { |item| item.split("=", 2) }
    timestamp = items.assoc("t")&.last.to_s
    return false if (Time.now.to_i - timestamp.to_i).abs > 5.minutes

    expected = OpenSSL::HMAC.hexdigest("SHA256", ENV.fetch("WEBHOOK_SECRET"), "#{timestamp}.#{body}")
    items.any? do |name, value|
      name == "v1" && ActiveSupport::SecurityUtils.secure_compare(value.to_s, expected)
    end
  end
end
