// Spheres and boxes above a mirror: what povray renders in the place of 453.povray.
camera { location <0, 6, -14> look_at <0, 1, 0> }
light_source { <20, 30, -20> color rgb <1, 1, 1> }
light_source { <-20, 10, -10> color rgb <0.4, 0.4, 0.5> }
plane { y, 0 pigment { checker color rgb <0.9, 0.9, 0.9> color rgb <0.2, 0.3, 0.4> } finish { reflection 0.3 } }
#declare I = 0;
#while (I < 40)
  sphere { <6 * sin(I), 1 + mod(I, 5), 6 * cos(I * 1.7)>, 0.7
    pigment { bozo color_map { [0 color rgb <1, 0.2, 0.1>] [1 color rgb <0.1, 0.2, 1>] } } finish { phong 0.6 reflection 0.2 } }
  difference {
    box { <-0.6, -0.6, -0.6>, <0.6, 0.6, 0.6> }
    sphere { <0, 0, 0>, 0.75 }
    rotate <I * 11, I * 7, 0> translate <7 * cos(I * 2.1), 1 + mod(I, 3), 5 * sin(I * 1.3)>
    pigment { marble turbulence 0.7 } }
  #declare I = I + 1;
#end
