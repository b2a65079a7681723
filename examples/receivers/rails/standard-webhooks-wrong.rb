# Wrong: accepts signatures from the future, which stay valid for longer than five minutes.
# app/controllers/hooks_controller.rb; in config/routes.rb: post "/hook", to: "hooks#create"
class HooksController < ApplicationController
  skip_forgery_protection # a sender has no CSRF token

  # In production: a table with a unique index on the id, and a job queue.
  SEEN = Concurrent::Set.new
  JOBS = Queue.new

  def create
    body = request.raw_post
    return head :unauthorized unless signed?(body)

    event = JSON.parse(body)
    # Whatever its type: the work comes after the response.
    JOBS << event if SEEN.add?(request.headers["webhook-id"])
    head :no_content
  rescue JSON::ParserError
    head :bad_request
  end

  private

  # The same as StandardWebhooks::Webhook#verify of the gem standardwebhooks.
  def signed?(body)
    id, timestamp, signatures =
      %w[id timestamp signature].map { |name| request.headers["webhook-#{name}"].to_s }
    return false if Time.now.to_i - timestamp.to_i > 5.minutes

    key = Base64.decode64(ENV.fetch("WEBHOOK_SECRET").delete_prefix("whsec_"))
    digest = OpenSSL::HMAC.digest("SHA256", key, "#{id}.#{timestamp}.#{body}")
    expected = "v1,#{Base64.strict_encode64(digest)}"
    signatures.split(" ").any? { |one| ActiveSupport::SecurityUtils.secure_compare(one, expected) }
  end
end
