# The server by itself: a static binary, certificates, and nothing else.
#
#   docker build -t larkspur .
#   docker run -p 3000:3000 -v "$PWD:/srv" -e LARKSPUR_TOKEN larkspur
#
# /srv holds modules/ and larkspur.toml. Modules that run commands want an image that has them:
# FROM debian:stable-slim, then COPY --from=larkspur /larkspur /usr/local/bin/
FROM rust:1.95-bookworm AS build
WORKDIR /src
COPY . .
RUN cargo xtask dist \
 && mkdir -p /image/etc/ssl/certs /image/tmp /image/srv \
 && cp target/dist/larkspur-*/larkspur /image/larkspur \
 && cp /etc/ssl/certs/ca-certificates.crt /image/etc/ssl/certs/ \
 && chmod 1777 /image/tmp && chown 65532:65532 /image/srv

FROM scratch
COPY --from=build /image/ /
USER 65532:65532
WORKDIR /srv
ENV HOME=/srv
EXPOSE 3000
HEALTHCHECK CMD ["/larkspur", "status"]
ENTRYPOINT ["/larkspur"]
CMD ["serve", "--http", "--host", "0.0.0.0", "--auth", "token"]
