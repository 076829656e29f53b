module go_program

go 1.19
