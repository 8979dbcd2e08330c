class Tally {
  public:
    void add(const long *value, int n)
    {
        long sum = sum_;
        for (int i = 0; i < n; i++)
            sum += value[i];
        sum_ = sum;
    }

  private:
    long sum_ = 0;
};

void fill(Tally &t, const long *value, int n) { t.add(value, n); }
