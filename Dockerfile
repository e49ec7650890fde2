# docker build --build-arg VERSION=0.2.0 . : an image of the musl executable that `npm run release -- --dry-run` left in release/.
FROM alpine:3.22
ARG VERSION
ARG TARGETARCH=amd64
RUN apk add --no-cache libstdc++ ca-certificates
COPY release/svc-${VERSION}-linux-*-musl.tar.gz /tmp/
RUN case "$TARGETARCH" in amd64) processor=x64 ;; *) processor=$TARGETARCH ;; esac \
  && tar -xzf "/tmp/svc-${VERSION}-linux-${processor}-musl.tar.gz" -C /tmp --strip-components=1 \
  && install -m 755 /tmp/svc /usr/local/bin/svc \
  && rm -rf /tmp/*
USER 65534:65534
ENV HOME=/tmp
ENTRYPOINT ["svc"]
