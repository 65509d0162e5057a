// want unread-file
